// Packed tables that are built one group of columns at a time, and packed tables in files.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/build_options.hpp"
#include "packing/column_group_builder.hpp"
#include "packing/stored_table.hpp"

namespace thresher::bindings {
namespace {

// Bytes that Python owns, and an owner that keeps them alive and may be released on any thread.
struct HeldBytes {
  explicit HeldBytes(const nb::object& buffer) {
    auto array = nb::cast<Vector<std::uint8_t>>(nb::module_::import_("numpy").attr("frombuffer")(buffer, "uint8"));
    bytes = std::as_bytes(std::span(array.data(), array.size()));
    owner = {new Vector<std::uint8_t>(std::move(array)), [](const Vector<std::uint8_t>* held) {
               nb::gil_scoped_acquire gil;
               delete held;
             }};
  }

  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// A function of Python that takes bytes, or None.
using Writer = nb::typed<nb::object, nb::typed<nb::callable, nb::object(...)>>;

// Passes bytes to a function of Python, which may not keep them; None makes an empty writer.
WriteBytes writer_of(const nb::object& write) {
  if (write.is_none()) return {};
  return [&write](const void* data, std::size_t bytes) {
    nb::gil_scoped_acquire gil;
    write(nb::steal(PyMemoryView_FromMemory(static_cast<char*>(const_cast<void*>(data)), static_cast<Py_ssize_t>(bytes),
                                            PyBUF_READ)));
  };
}

void store(const CodedTable& table, const nb::object& write) {
  const WriteBytes writer = writer_of(write);
  ReleasedGil released;
  store_table(table, writer);
}

std::shared_ptr<CodedTable> table_from_buffer(const nb::object& buffer, const std::string& what) {
  const HeldBytes held(buffer);
  ReleasedGil released;
  try {
    return std::make_shared<CodedTable>(open_table(held.bytes, held.owner));
  } catch (const std::exception& error) {
    throw std::invalid_argument(what + " is not a packed table: " + error.what());
  }
}

nb::bytes dump(const CodedTable& table) {
  const nb::object stream = nb::module_::import_("io").attr("BytesIO")();
  store(table, stream.attr("write"));
  return nb::cast<nb::bytes>(stream.attr("getvalue")());
}

// Writes to a temporary name first, so that no reader ever sees half a file.
void save(const CodedTable& table, const nb::object& path) {
  const nb::module_ os = nb::module_::import_("os");
  const nb::object part = nb::str("{}.{}.part").attr("format")(os.attr("fspath")(path), os.attr("getpid")());
  const nb::object file = nb::module_::import_("builtins").attr("open")(part, "wb");
  try {
    store(table, file.attr("write"));
    file.attr("close")();
    os.attr("replace")(part, path);
  } catch (...) {
    try {
      file.attr("close")();
    } catch (nb::python_error&) {  // the disk is full, as the first error says
    }
    os.attr("unlink")(part);
    throw;
  }
}

std::shared_ptr<CodedTable> open(const nb::object& path) {
  const nb::module_ os = nb::module_::import_("os");
  const nb::object file = nb::module_::import_("builtins").attr("open")(path, "rb");
  const std::string what = nb::cast<std::string>(nb::repr(os.attr("fspath")(path)));
  if (nb::cast<std::size_t>(os.attr("fstat")(file.attr("fileno")()).attr("st_size")) == 0) {
    file.attr("close")();
    throw std::invalid_argument(what + " is not a packed table: it is empty");
  }
  const nb::module_ mmap = nb::module_::import_("mmap");
  const nb::object map = mmap.attr("mmap")(file.attr("fileno")(), 0, nb::arg("access") = mmap.attr("ACCESS_READ"));
  file.attr("close")();
  return table_from_buffer(map, what);
}

void append(ColumnGroupBuilder& builder, const Matrix<std::uint8_t>& codes, const Vector<std::int32_t>& levels,
            int missing_code, std::size_t n_threads, const Writer& write) {
  if (codes.shape(0) != levels.size()) throw std::invalid_argument("levels: one number per feature is needed");
  if (codes.shape(1) != builder.n_rows()) throw std::invalid_argument("codes: one per row is needed");
  const WriteBytes writer = writer_of(write);
  without_gil([&](Interrupt& interrupt) {
    builder.append(codes.data(), view(levels), missing_code, n_threads, writer, interrupt);
  });
}

void append_sparse(ColumnGroupBuilder& builder, const AnyNumpy& indptr, const AnyNumpy& indices, const AnyNumpy& data,
                   std::size_t n_columns, std::size_t n_threads, const Writer& write) {
  std::vector<HeldArray> held;
  const SparseView view = checked_sparse(indptr, indices, data, builder.n_rows(), n_columns, true, held);
  const WriteBytes writer = writer_of(write);
  ReleasedGil released;
  SignalInterrupt interrupt;
  builder.append(view, n_threads, writer, interrupt);
}

std::shared_ptr<CodedTable> finish(ColumnGroupBuilder& builder, const nb::object& written) {
  if (written.is_none()) return std::make_shared<CodedTable>(builder.finish({}, nullptr));
  const HeldBytes held(written);
  return std::make_shared<CodedTable>(builder.finish(held.bytes, held.owner));
}

}  // namespace

void bind_storage(nb::module_& module, nb::class_<CodedTable>& table) {
  table.def("save", &save, nb::arg("path"), "Write the table to a file, which appears when it is whole.")
      .def_static("open", &open, nb::arg("path"), "The table of a file, mapped; a file that is none is a ValueError.")
      .def("dump", &dump, "The table as bytes.")
      .def_static("load", &table_from_buffer, nb::arg("buffer"), nb::arg("what") = "buffer",
                  "The table of such bytes, which stay where they are; others are a ValueError.")
      .def("__getstate__", &dump)
      .def("__setstate__", [](CodedTable& self, const nb::bytes& state) {
        const HeldBytes held(state);
        new (&self) CodedTable(open_table(held.bytes, held.owner));
      });
  nb::class_<ColumnGroupBuilder>(module, "ColumnGroupBuilder",
                                 "Builds a table of discrete features one group of columns at a time.")
      .def(
          "__init__",
          [](ColumnGroupBuilder* self, std::size_t n_rows, std::size_t n_features, const OptionalParts& parts,
             const OptionalSets& sets, const AnyNumpy& weights, const std::string& missing, std::size_t dense_bytes) {
            BuildOptions options = read_options(parts, sets, weights, n_rows, 1, missing);
            options.dense_bytes = dense_bytes;
            new (self) ColumnGroupBuilder(n_rows, n_features, std::move(options));
          },
          nb::arg("n_rows"), nb::arg("n_features"), nb::arg("parts") = nb::none(), nb::arg("sets") = nb::none(),
          nb::arg("weights") = nb::none(), nb::arg("missing") = "pairwise", nb::arg("dense_bytes") = kDenseBytes,
          "`missing` and `dense_bytes` are for sparse features, as for `CodedTable.from_sparse`.")
      .def_prop_ro("n_bytes", &ColumnGroupBuilder::n_bytes, "Memory of the features appended, in bytes.")
      .def("append", &append, nb::arg("codes"), nb::arg("levels"), nb::arg("missing_code") = -1,
           nb::arg("n_threads") = 1, nb::arg("write") = nb::none(),
           "The next features, as for `CodedTable.from_codes`; with `write` their data are handed over and not kept.")
      .def("append_sparse", &append_sparse, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
           nb::arg("n_columns"), nb::arg("n_threads") = 1, nb::arg("write") = nb::none(),
           "The next features, columns of a CSC matrix, as for `CodedTable.from_sparse`.")
      .def("finish", &finish, nb::arg("written") = nb::none(),
           "The table; `written` is all that was handed over, best mapped.");
}

}  // namespace thresher::bindings
