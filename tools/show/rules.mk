# SPDX-License-Identifier: BSD-2-Clause

needs.run_schema := tools/show/run_schema.json
