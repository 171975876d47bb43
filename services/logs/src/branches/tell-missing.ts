import type { Call } from '@trellis/kit/rpc'

/** Names, in a header, the branches whose entries an answer is without. */
export const tellMissing = (head: Call['head'], missing: readonly string[] | undefined): void => {
  if (missing && missing.length > 0) head.header('x-branches-missing', missing.join(','))
}
