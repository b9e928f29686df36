/* SPDX-License-Identifier: BSD-2-Clause */
/* The library has no C interface before version 2.2, so this file alone is C++. */
#include "tools/shots/read_code.h"

#define ZX_USE_UTF8 1 /* of its two interfaces the one that stays */
#include <ZXing/ReadBarcode.h>

#include <algorithm>

#if __has_include(<ZXing/ReaderOptions.h>)
using Options = ZXing::ReaderOptions;
#else
using Options = ZXing::DecodeHints;
#endif

size_t read_code(const uint8_t *grey, int width, int height, uint8_t *bytes, size_t room)
{
    Options options;

    options.setFormats(ZXing::BarcodeFormat::QRCode).setTryHarder(true);
    try {
        const auto found =
            ZXing::ReadBarcode({grey, width, height, ZXing::ImageFormat::Lum}, options);
        const auto &content = found.bytes();
        const size_t length = found.isValid() ? std::min(content.size(), room) : 0;

        std::copy_n(content.begin(), length, bytes);
        return length;
    } catch (const std::exception &) {
        return 0; /* out of memory */
    }
}
