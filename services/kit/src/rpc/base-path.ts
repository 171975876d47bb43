import type { Call } from './call.ts'

/** The path below which the caller reaches the edge, such as `/trellis`; empty at the root. Put it before paths in answers. */
export const basePathOf = ({ origin }: Pick<Call, 'origin'>): string =>
  origin === undefined ? '' : new URL(origin).pathname.replace(/\/+$/, '')
