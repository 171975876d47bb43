import { setTimeout as sleep } from 'node:timers/promises'
import { disappear, titleOf } from '../../aborts/ways.ts'
import { type Attack, pick } from '../attack.ts'
import { outcomesOf } from '../wire.ts'

const longestStallMilliseconds = 5_000

/** A client of the abort matrix that disconnects; a stalled connection is closed after up to 5 s. */
export const abort: Attack = async ({ ports, nextAbort, tally }, random) => {
  const one = nextAbort()
  const port = pick(ports, random)
  const stallMilliseconds = random() * longestStallMilliseconds
  let text = ''
  const stalled = await disappear(port, one, (packet) => {
    text = packet.toString('latin1', 0, 1_024)
  })
  if (stalled) {
    await sleep(stallMilliseconds)
    random() < 0.5 ? stalled.destroy() : stalled.resetAndDestroy()
  }
  for (const outcome of outcomesOf(text)) tally.add(`abort: ${one.way}`, outcome, () => `${titleOf(one)}\n${text}`)
}
