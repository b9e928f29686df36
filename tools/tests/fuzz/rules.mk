# SPDX-License-Identifier: BSD-2-Clause

# Corpora of the fuzzers as text.
programs := corpus_pack
