/** Longer lines are cut in the list; their detail shows all. */
const maxRows = 10
export const wrappedLineHeight = 18

/** Characters that take about two columns of a monospaced font, such as those of Chinese, Japanese and Korean, and emoji. */
const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\uffdc]|\p{Extended_Pictographic}/gu

/** How many rows a text takes that breaks anywhere, by arithmetic: measuring each line would cost more than drawing it. */
export const rowsOf = (text: string, columns: number): number => {
  const width = text.length + (text.match(wide)?.length ?? 0)
  return Math.min(maxRows, Math.max(1, Math.ceil(width / Math.max(1, columns))))
}
