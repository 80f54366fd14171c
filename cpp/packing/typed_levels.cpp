#include "packing/build_dense.hpp"
#include "packing/levels.hpp"

namespace thresher {
namespace {

template <class T>
class TypedLevelsOf final : public TypedLevels {
 public:
  TypedLevelsOf(const ArrayView& array, std::size_t column, Missing missing) : levels_(column, missing) {
    for (std::size_t row = 0; row < array.n_rows; ++row) levels_.add(*array.at<T>(row, column));
  }
  CodedTable::Shape shape() const override { return levels_.shape(); }
  void write_values(double* out) const override { levels_.write_values(out); }
  void code(const ArrayView& array, std::size_t column, const RowLayout& layout, std::uint8_t* codes) const override {
    T last{};
    std::uint8_t last_code = levels_.code(last);
    for (std::size_t position = 0; position < array.n_rows; ++position) {
      const T value = *array.at<T>(layout.row_at(position), column);
      if (!(value == last)) {
        last = value;
        last_code = levels_.code(value);
      }
      codes[position] = last_code;
    }
  }

 private:
  Levels<T> levels_;
};

}  // namespace

std::unique_ptr<TypedLevels> find_typed_levels(const ArrayView& array, std::size_t column, Missing missing) {
  return visit_dtype(array.dtype, [&](auto element) -> std::unique_ptr<TypedLevels> {
    return std::make_unique<TypedLevelsOf<decltype(element)>>(array, column, missing);
  });
}

}  // namespace thresher
