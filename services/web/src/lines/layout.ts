/** What a layout reads: lines numbered from `first` to before `next`, of which older ones may be gone. */
export type Numbered = {
  first: number
  next: number
  /** What consecutive lines must share to be shown as one; null for a line of its own. */
  keyOf: (number: number) => string | null
  /** Height of the line in pixels. */
  heightOf: (number: number) => number
}

/** So many rows that are gone are held until they are removed at once. */
const maxGone = 20_000

/**
 * Where the rows of a list are when consecutive lines are shown as one, or lines have different heights. Lines are only appended and dropped, so
 * that each is read once.
 */
export const createLayout = () => {
  /** Number of the first line of each row, and where the row begins; those before `head` are gone. */
  let numbers: number[] = []
  let tops: number[] = []
  let head = 0
  let end = 0
  let first = 0
  let next = 0
  let lastKey: string | null = null

  const rowOf = (value: number, values: readonly number[]): number => {
    let [low, high] = [head, values.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((values[middle] ?? 0) <= value) low = middle
      else high = middle - 1
    }
    return low - head
  }

  return {
    update: ({ first: from, next: to, keyOf, heightOf }: Numbered): void => {
      for (let number = Math.max(next, from); number < to; number += 1) {
        const key = keyOf(number)
        if (key !== null && key === lastKey && numbers.length > head) continue
        lastKey = key
        numbers.push(number)
        tops.push(end)
        end += heightOf(number)
      }
      first = from
      next = Math.max(next, to)
      while (head < numbers.length && (numbers[head + 1] ?? next) <= first) head += 1
      if (head < maxGone) return
      numbers = numbers.slice(head)
      tops = tops.slice(head)
      head = 0
    },
    /** Number of rows. */
    get size(): number {
      return numbers.length - head
    },
    /** Height of all rows, in pixels. */
    get height(): number {
      return end - (tops[head] ?? end)
    },
    /** The first line of a row that is still there, and how many lines the row stands for. */
    at: (row: number): { number: number; count: number } => {
      const index = head + row
      const number = Math.max(numbers[index] ?? 0, first)
      return { number, count: (numbers[index + 1] ?? next) - number }
    },
    topOf: (row: number): number => (tops[head + row] ?? end) - (tops[head] ?? 0),
    /** The row at a distance from the top. */
    rowAt: (top: number): number => rowOf(top + (tops[head] ?? 0), tops),
    /** The row that shows a line. */
    rowWith: (number: number): number => rowOf(number, numbers),
  }
}

export type Layout = ReturnType<typeof createLayout>
