import type { Readable } from 'node:stream'

const maxLines = 1_000
const maxCharacters = 2 * 1024 * 1024
/** A longer line is cut: the server would truncate it. */
const maxLineCharacters = 1024 * 1024
const pauseMilliseconds = 1_000

/**
 * The lines of a stream in batches: when there are many, a second after the first one, at the end, and when the signal aborts, which ends the input. Blank
 * lines are left out. Nothing is read while a batch is processed.
 */
export async function* batchesOf(input: Readable, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const aborted = Promise.withResolvers<'aborted'>()
  signal.addEventListener('abort', () => aborted.resolve('aborted'), { once: true })
  if (signal.aborted) return
  const chunks = input.setEncoding('utf8')[Symbol.asyncIterator]()
  let lines: string[] = []
  let characters = 0
  let open = ''
  const add = (line: string) => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text.trim() === '') return
    lines.push(text)
    characters += text.length
  }
  const take = () => {
    const batch = lines
    lines = []
    characters = 0
    return batch
  }
  const never = new Promise<never>(() => undefined)
  let timer: NodeJS.Timeout | undefined
  let paused: Promise<'paused'> = never
  const startPause = () => {
    const { promise, resolve } = Promise.withResolvers<'paused'>()
    timer = setTimeout(() => resolve('paused'), pauseMilliseconds)
    paused = promise
  }
  const endPause = () => {
    clearTimeout(timer)
    paused = never
  }
  try {
    for (let next = chunks.next(); ; ) {
      const came = await Promise.race([next, aborted.promise, paused])
      if (came === 'paused') {
        endPause()
        yield take()
        continue
      }
      if (came === 'aborted' || came.done) break
      const parts = (open + came.value).split('\n')
      open = parts.pop() ?? ''
      if (open.length > maxLineCharacters) {
        const cut = maxLineCharacters - (/[\ud800-\udbff]/.test(open.charAt(maxLineCharacters - 1)) ? 1 : 0)
        parts.push(open.slice(0, cut))
        open = open.slice(cut)
      }
      for (const part of parts) {
        add(part)
        if (lines.length >= maxLines || characters >= maxCharacters) yield take()
      }
      if (lines.length === 0) endPause()
      else if (paused === never) startPause()
      next = chunks.next()
    }
    add(open)
    if (lines.length > 0) yield take()
  } finally {
    clearTimeout(timer)
    input.destroy()
  }
}
