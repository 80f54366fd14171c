"""Records of what thresher computes, to compare one version, or one instruction set, with another.

``python -m tests.identity record FILE`` fits about 4,000 cases and runs the commands; it writes a digest of every
fitted attribute, reason, message and output. ``python -m tests.identity compare OLD NEW`` lists the differences.
"""
