"""Teaches Schemathesis to serialize newline-delimited JSON."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write_ndjson(ctx, value):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    values = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(one) for one in values).encode()
