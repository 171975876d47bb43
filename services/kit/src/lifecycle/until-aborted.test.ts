import { describe, expect, test } from 'vitest'
import { untilAborted } from './until-aborted.ts'

async function* letters(end?: Promise<void>) {
  yield 'a'
  yield 'b'
  await end
}

const readInto = async (items: AsyncIterable<string>, read: string[]) => {
  for await (const item of items) read.push(item)
}

describe('untilAborted', () => {
  test('yields all items and ends when its source does', async () => {
    const read: string[] = []
    await readInto(untilAborted(letters(), new AbortController().signal), read)
    expect(read).toEqual(['a', 'b'])
  })

  test('throws the reason at once, even while its source is silent', async () => {
    const controller = new AbortController()
    const read: string[] = []
    const reading = readInto(untilAborted(letters(new Promise(() => undefined)), controller.signal), read)
    reading.catch(() => undefined)
    setImmediate(() => controller.abort(new Error('gone')))
    await expect(reading).rejects.toThrow('gone')
    expect(read).toEqual(['a', 'b'])
  })

  test('throws the reason if its source ends only after the abort', async () => {
    const controller = new AbortController()
    const gate = Promise.withResolvers<void>()
    const reading = readInto(untilAborted(letters(gate.promise), controller.signal), [])
    reading.catch(() => undefined)
    controller.abort(new Error('gone'))
    gate.resolve()
    await expect(reading).rejects.toThrow('gone')
  })

  test('closes its source when its reader returns, and waits for that', async () => {
    let isClosed = false
    async function* source() {
      try {
        for (;;) yield 'x'
      } finally {
        await Promise.resolve()
        isClosed = true
      }
    }
    for await (const _ of untilAborted(source(), new AbortController().signal)) break
    expect(isClosed).toBe(true)
  })

  test('rethrows errors of its source', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield await Promise.reject(new Error('broken'))
    }
    await expect(readInto(untilAborted(broken(), new AbortController().signal), [])).rejects.toThrow('broken')
  })

  test('reads nothing if the signal has aborted before', async () => {
    const read: string[] = []
    await expect(readInto(untilAborted(letters(), AbortSignal.abort(new Error('gone'))), read)).rejects.toThrow('gone')
    expect(read).toEqual([])
  })
})
