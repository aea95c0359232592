# SPDX-License-Identifier: MIT
FAULTS = {}
def made(): return []
def forget_all(): pass
