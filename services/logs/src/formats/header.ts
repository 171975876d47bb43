/** What the header of a line says; one object is filled again and again, since a hundred thousand lines a second pass here. */
export type Header = {
  /** Epoch milliseconds, NaN where there is none. */
  time: number
  /** A severity's code; undefined where nothing names one. */
  severity: number | undefined
  repeatCount: number
}

export const createHeader = (): Header => ({ time: Number.NaN, severity: undefined, repeatCount: 1 })

export const clearHeader = (header: Header): void => {
  header.time = Number.NaN
  header.severity = undefined
  header.repeatCount = 1
}

/** What a person sees of an entry beside its text. */
export type Description = { message: string; fields: Record<string, unknown> | null; timestampRaw: string | null }

/** Reads lines of one format, or of formats that are told apart by what they have in common. */
export type LineReader = {
  /** Fills the header and gives the format's name; undefined when the line is none of its formats. */
  read: (line: string, header: Header) => string | undefined
}
