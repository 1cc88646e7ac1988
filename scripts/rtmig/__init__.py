# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/report, scripts/analyse and scripts/html have in common."""
