/** What the header of a line says; one object is filled again and again, since a hundred thousand lines a second pass here. */
export type Header = {
  /** Epoch milliseconds, NaN where there is none. */
  time: number
  /** A severity's code; undefined where nothing names one. */
  severity: number | undefined
  repeatCount: number
  /** Where the message stands in the line, in UTF-16 units; all of the line where the format does not say. */
  messageStart: number
  messageEnd: number
  /** What a line wraps. */
  wrapped: string | undefined
  /** Whether no format knows that: it may go on with a trace that was wrapped before. */
  isBare: boolean
}

/** The end of a message that goes up to the end of its line. */
export const lineEnd = Number.POSITIVE_INFINITY

export const createHeader = (): Header => ({
  time: Number.NaN,
  severity: undefined,
  repeatCount: 1,
  messageStart: 0,
  messageEnd: lineEnd,
  wrapped: undefined,
  isBare: false,
})

export const clearHeader = (header: Header): void => {
  header.time = Number.NaN
  header.severity = undefined
  header.repeatCount = 1
  header.wrapped = undefined
  header.isBare = false
  setMessage(header, 0, lineEnd)
}

export const setMessage = (header: Header, start: number, end: number): void => {
  header.messageStart = start
  header.messageEnd = end
}

/** What a person sees of an entry beside its text. */
export type Description = { message: string; fields: Record<string, unknown> | null; timestampRaw: string | null }

/** Reads lines of one format, or of formats that are told apart by what they have in common. */
export type LineReader = {
  /** Fills the header and gives the format's name; undefined when the line is none of its formats. */
  read: (line: string, header: Header) => string | undefined
}
