/** `npm start` runs this first: builds the web app if its sources have changed. A failure is reported and does not stop the start. */
import { buildWeb } from './build.ts'

const began = performance.now()
try {
  if (await buildWeb())
    process.stderr.write(`Built the web app in ${((performance.now() - began) / 1_000).toFixed(1)} s.\n`)
} catch (error) {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`The web app could not be built, so there are no pages; the API works.\n${reason}\n`)
}
