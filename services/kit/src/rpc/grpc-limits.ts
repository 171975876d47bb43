/** What both ends of a channel agree to: lists of a few thousand entries fit, nothing unbounded does. */
export const messageLimitBytes = 64 * 1024 * 1024

const messageLimits = {
  'grpc.max_receive_message_length': messageLimitBytes,
  'grpc.max_send_message_length': messageLimitBytes,
}

/** A peer that is gone without a word (a stopped process, a cut cable) is noticed within 15 s. */
const keepAlive = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
}

/**
 * Connections are let go after five to six minutes, when their calls are done, so that clients look up addresses anew
 * and find replicas that came since.
 */
export const serverOptions = () => ({
  ...messageLimits,
  ...keepAlive,
  'grpc.max_connection_age_ms': 300_000 + Math.floor(Math.random() * 60_000),
})

/** Calls go to all replicas in turn; one that comes back is found within half a second. Retries are ours: only we know what is safe to repeat. */
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
