/** Maximum message size at both ends of a channel: lists of a few thousand entries fit, unbounded ones do not. */
export const messageLimitBytes = 64 * 1024 * 1024

const messageLimits = {
  'grpc.max_receive_message_length': messageLimitBytes,
  'grpc.max_send_message_length': messageLimitBytes,
}

/** Detects within 15 s a peer that vanished without closing the connection (a stopped process, a cut cable). */
const keepAlive = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
}

/**
 * Connections are closed after five to six minutes, once their calls are done, so that clients resolve addresses again
 * and find new replicas.
 */
export const serverOptions = () => ({
  ...messageLimits,
  ...keepAlive,
  'grpc.max_connection_age_ms': 300_000 + Math.floor(Math.random() * 60_000),
})

/** Round robin over all replicas; a replica that returns is found within half a second. grpc-js must not retry: only we know which calls are safe. */
export const channelOptions = {
  ...messageLimits,
  ...keepAlive,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_retries': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.min_reconnect_backoff_ms': 5_000,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
}
