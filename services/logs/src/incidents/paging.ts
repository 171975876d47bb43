import { invalidField } from '@trellis/kit/errors'

/** A place in a list that is newest first: what comes after it is older, or of the same time with a smaller id. */
export type ListPlace = { time: number; id: string }

export const defaultPage = 50

const encode = ({ time, id }: ListPlace): string => Buffer.from(`${time} ${id}`).toString('base64url')

/** Throws `invalid` for what no list has given. */
export const readListCursor = (cursor: string | null | undefined): ListPlace | undefined => {
  if (!cursor) return undefined
  const [, time = '', id = ''] = /^(\d{1,15}) (\S{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (id === '') throw invalidField(['query', 'cursor'], 'cursor must be a next_cursor that this list has given.')
  return { time: Number(time), id }
}

/** A page of what was asked for with one more than the limit, and where the next one begins. */
export const toPage = <Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => ListPlace,
): { page: Row[]; nextCursor: string | null } => {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { page, nextCursor: last ? encode(placeOf(last)) : null }
}
