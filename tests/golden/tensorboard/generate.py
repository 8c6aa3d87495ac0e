#!/usr/bin/env python3
"""Writes events.json: records of an event file, written by TensorBoard's own classes.

    python3 -m venv venv && venv/bin/pip install tensorboard && venv/bin/python generate.py

Each entry holds the fields of an event and its TFRecord in hexadecimal digits.
"""

import io
import json
import pathlib

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


def record(event):
    stream = io.BytesIO()
    RecordWriter(stream).write(event.SerializeToString(deterministic=True))
    return stream.getvalue().hex()


def scalars(wall_time, step, values):
    summary = summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag=tag, simple_value=value) for tag, value in values]
    )
    event = event_pb2.Event(wall_time=wall_time, step=step, summary=summary)
    return {"wall_time": wall_time, "step": step, "scalars": values, "record": record(event)}


version = event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2")
start = event_pb2.Event(
    wall_time=1700000001.5,
    step=301,
    session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START),
)
cases = {
    "version": {"wall_time": 1700000000.25, "record": record(version)},
    "start": {"wall_time": 1700000001.5, "step": 301, "record": record(start)},
    "scalars": [
        scalars(1700000002.75, 100, [["loss", 5.5], ["lr", 0.0005]]),
        scalars(0.5, 1, [["a", 0.0]]),
        scalars(1e9, 3_000_000_000, [["größe/ü", -1.25], ["b", 3.4e38]]),
        scalars(12.5, 70, [["x" * 200, 1.0]] + [[f"tag{i}", i / 7] for i in range(40)]),
    ],
}
path = pathlib.Path(__file__).with_name("events.json")
path.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
