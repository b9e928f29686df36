/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Example records, with which the model of text_codec.h is primed: lines and pieces of lines as the
 * image writes them, chosen so that whole runs of it become small. Frozen with CODEC_VERSION: a log
 * decodes only with the dictionary that it was made with.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#define TEXT_DICTIONARY_BYTES 20480 /* without the NUL behind */

extern const char text_dictionary[TEXT_DICTIONARY_BYTES + 1];
