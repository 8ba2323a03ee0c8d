//! Offline evaluation and benchmarking of context compaction in coding agents.
