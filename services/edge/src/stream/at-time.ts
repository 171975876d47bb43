/** Longest delay of a timer, in milliseconds: longer ones fire at once. */
const longestDelay = 2 ** 31 - 1

/** Calls back at a time in milliseconds since 1970, unless disposed before. */
export const atTime = (time: number, callback: () => void): Disposable => {
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    const rest = time - Date.now()
    if (rest <= 0) callback()
    else timer = setTimeout(wait, Math.min(rest, longestDelay)).unref()
  }
  wait()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
