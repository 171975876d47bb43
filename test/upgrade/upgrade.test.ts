import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { form, startTrellis } from '../support/trellis.ts'
import { answersAt, clientOf, earlier, writeAll, writeLogs } from './data.ts'
import { hasCommit, root, writeEarlierTree } from './earlier-tree.ts'

const reason = hasCommit(earlier) ? '' : ` (skipped: this checkout has no commit ${earlier.slice(0, 8)})`
/** It starts two installations, the earlier one from its sources, and generates a take: 20 s of processor time on the embedded form. */
const limit = 600_000

const programs = { embedded: 'services/all-in-one/src/main.ts', distributed: 'services/distributed/src/main.ts' }

describe(`upgrades of the ${form} form`, () => {
  test.skipIf(reason !== '')(
    `data that an earlier version wrote is read as that version read it${reason}`,
    async () => {
      await using tree = await temporaryDirectory()
      await using data = await temporaryDirectory()
      writeEarlierTree(earlier, tree.path)
      const program = join(tree.path, programs[form])
      const options = { dataDirectory: data.path }
      // The test bundle does not find the packaged Postgres, which wrote the data.
      const present = form === 'embedded' ? {} : { program: join(root, programs.distributed) }

      await using old = await startTrellis({}, { ...options, program })
      const before = clientOf(old.origin)
      const paths = await writeAll(before)
      const written = await answersAt(before, paths)
      // Its data must be readable without an orderly end; a killed launcher of several processes would leave them running.
      await old.stop(form === 'embedded' ? 'SIGKILL' : 'SIGTERM')

      await using started = await startTrellis({}, { ...options, ...present })
      const now = clientOf(started.origin)
      expect(await answersAt(now, paths)).toMatchObject(written)
      // What is written now does not collide with what was written then.
      await writeLogs(now)
      expect(await now.read('/logs/api/search?q=ledger&limit=1')).toMatchObject({ total: 500 })
    },
    limit,
  )
})
