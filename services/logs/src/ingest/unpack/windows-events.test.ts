import { describe, expect, test } from 'vitest'
import { withEventsOnLines } from './windows-events.ts'

const begin = Buffer.byteLength(`<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>`) + 80

/** The first chunk has the beginning; the others have any size. */
async function* inChunks(content: Buffer, size: number) {
  yield content.subarray(0, begin)
  for (let start = begin; start < content.length; start += size) yield content.subarray(start, start + size)
}

const read = async (text: string, size: number): Promise<string> => {
  const parts: Uint8Array[] = []
  for await (const part of withEventsOnLines(inChunks(Buffer.from(text), size))) parts.push(part)
  return Buffer.concat(parts).toString()
}

const event = (row: number, space = '') =>
  `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>${space}<System>${space}<EventID>${row}</EventID>${space}</System>${space}<EventData><Data>Größe ${row}</Data></EventData>${space}</Event>`
const lines = `${event(1)}\n${event(2)}\n${event(3)}\n`

describe('Windows events in XML', () => {
  test.each([
    [
      'in an export',
      `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n<Events>${event(1)}${event(2)}${event(3)}</Events>`,
    ],
    ['with a byte order mark', `\ufeff<Events>\n${event(1)}\n${event(2)}${event(3)}\n</Events>\n`],
    ['one after the other', event(1) + event(2) + event(3)],
    ['on lines', lines],
  ])('%s have a line each', async (_, text) => {
    for (const size of [1, 7, 10_000]) expect(await read(text, size)).toBe(lines)
  })

  test('that are indented have spaces instead of line ends, whatever the chunks', async () => {
    for (const size of [1, 7, 10_000])
      expect(await read(`${event(1, '\r\n  ')}\r\n${event(2, '\n')}\n`, size)).toBe(
        `${event(1, '    ')}\n${event(2, ' ')}\n`,
      )
  })

  test('retain other lines between them, and an end that is missing', async () => {
    const text = `${event(1)}\nsaved by a program\n${event(2)}`
    for (const size of [1, 7, 10_000]) expect(await read(text.slice(0, -3), size)).toBe(`${text.slice(0, -3)}\n`)
  })

  test('whose sender leaves have what was received before that', async () => {
    async function* brokenOff() {
      yield* inChunks(Buffer.from(lines.slice(0, -20)), 7)
      throw new Error('The sender has left.')
    }
    const parts: Uint8Array[] = []
    const reading = async () => {
      for await (const part of withEventsOnLines(brokenOff())) parts.push(part)
    }
    await expect(reading()).rejects.toThrow('The sender has left.')
    expect(Buffer.concat(parts).toString()).toBe(`${lines.slice(0, -20)}\n`)
  })

  test.each([
    ['lines that mention an event', 'saved <Event xmlns=7>\n</Event> twice\n'],
    ['events of another program', `<?xml version="1.0"?>\n<Trace>\n<Event Severity="10" />\n</Trace>\n`],
  ])('%s are unchanged', async (_, text) => {
    expect(await read(text, 5)).toBe(text)
  })
})
