/** Matches whole numbers that may be too large for a number; also some texts that look like one. */
const mayBeInexact = /[:[,]\s*-?(?:\d{17}|9\d{15})/
const wholeNumber = /^-?\d+$/

const keepDigits = ((_key: string, value: unknown, { source = '' }: { source?: string }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && wholeNumber.test(source)
    ? source
    : value) as NonNullable<Parameters<typeof JSON.parse>[1]>

/** Parses JSON; a whole number that a number does not represent exactly, such as an id of 64 bits, becomes the text of its digits. */
export const exactJson = (text: string): unknown =>
  mayBeInexact.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)

const orUndefined =
  (parse: (text: string) => unknown) =>
  (text: string): unknown => {
    try {
      return parse(text)
    } catch {
      return undefined
    }
  }

/** Parses a text as JSON; undefined if it is invalid. */
export const parsedJson = orUndefined(JSON.parse)

/** Parses a text as by `exactJson`; undefined if it is invalid. */
export const parsedExactly = orUndefined(exactJson)
