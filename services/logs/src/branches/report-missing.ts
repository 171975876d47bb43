import type { Call } from '@trellis/kit/rpc'

/** Names the branches whose entries are missing from the response in a header. */
export const reportMissing = (head: Call['head'], missing: readonly string[] | undefined): void => {
  if (missing && missing.length > 0) head.header('x-branches-missing', missing.join(','))
}
