/** What both ends of a channel agree to: lists of a few thousand entries fit, nothing unbounded does. */
export const messageLimitBytes = 64 * 1024 * 1024

export const channelLimits = {
  'grpc.max_receive_message_length': messageLimitBytes,
  'grpc.max_send_message_length': messageLimitBytes,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
} as const
