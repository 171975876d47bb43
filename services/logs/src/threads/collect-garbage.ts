import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

let collect: Collect | undefined

/**
 * Collects all garbage of this thread now and shrinks its heap: what the engine does by itself waits for work that may not come, and
 * keeps the young generation as large as it ever was. Takes 30 to 70 ms, so it is for moments when nobody waits. The function that does it
 * is only found in a context made after the flag is set.
 */
export const collectGarbage = (): void => {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
