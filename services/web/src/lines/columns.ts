/** What a line shows, in its order; the text is always shown. */
export const lineColumns = ['time', 'severity', 'source', 'text'] as const
export type LineColumn = (typeof lineColumns)[number]
