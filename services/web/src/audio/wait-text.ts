type Queue = { queue_depth: number; estimated_wait_seconds: number | null }

/** How long a take that is requested now waits for its turn, in words. */
export const waitText = ({ queue_depth: queued, estimated_wait_seconds: seconds }: Queue): string => {
  if (queued === 0 && (seconds ?? 0) < 1) return 'starts at once'
  return `${queued} queued${seconds === null ? '' : `, starts in about ${Math.ceil(seconds)} s`}`
}
