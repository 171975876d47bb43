import { z } from 'zod'
import { invalidField } from '../errors/mod.ts'

/** The fields of a position, in the order of the list: `{ time: 'integer', id: 'text' }`. */
type Shape = Readonly<Record<string, 'integer' | 'number' | 'text'>>

/** A position in a list, with these fields. */
export type Position<Fields extends Shape> = { [Name in keyof Fields]: Fields[Name] extends 'text' ? string : number }

/** A page of a list. `nextCursor` is null on the last page. */
export type Page<Row> = { page: Row[]; nextCursor: string | null }

/**
 * The pages of a list in a stable order. A cursor contains the position of the last row of a page, by which the next page
 * is queried, so rows that are added or removed meanwhile move no other. Cursors are opaque to clients.
 */
export type Paging<At> = {
  /** The position in a cursor; undefined without a cursor. Throws `invalid` for one that the list did not return. */
  read: (cursor: string | null | undefined) => At | undefined
  /** Makes a page of rows that were queried with one more than the limit. */
  toPage: <Row>(rows: readonly Row[], limit: number, positionOf: (row: Row) => At) => Page<Row>
}

const readers = { integer: z.int(), number: z.number(), text: z.string() }

const decode = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** Creates the paging of a list whose positions have these fields. `list` also keeps cursors of other lists out. */
export const createPaging = <const Fields extends Shape>(list: string, fields: Fields): Paging<Position<Fields>> => {
  const position = z.object(Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, readers[kind]])))
  const shape = z.tuple([z.literal(list), position])
  return {
    read: (cursor) => {
      if (!cursor) return undefined
      const decoded = shape.safeParse(decode(cursor))
      if (!decoded.success)
        throw invalidField(['query', 'cursor'], 'cursor must be a next_cursor that this list has returned.')
      return decoded.data[1] as Position<Fields>
    },
    toPage: (rows, limit, positionOf) => {
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      if (last === undefined) return { page, nextCursor: null }
      return { page, nextCursor: Buffer.from(JSON.stringify([list, positionOf(last)])).toString('base64url') }
    },
  }
}
