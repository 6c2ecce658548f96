"""Experiments and measurements that compare outflank with what is published."""
