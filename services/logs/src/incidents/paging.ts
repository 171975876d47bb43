import { createPaging, type Position } from '@trellis/kit/paging'

/** A position in a list that is newest first: following items are older, or of the same time with a smaller id. */
const position = { time: 'integer', id: 'text' } as const
export type ListPosition = Position<typeof position>

export const defaultPage = 50

/** The paging of a list that is newest first. */
export const newestFirst = (list: string) => createPaging(list, position)
