import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresMissing } from '@trellis/test/support/postgres'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { freePort } from './ports.ts'
import { startPostgres } from './postgres.ts'

test.skipIf(postgresMissing !== undefined)(
  `data of another major version is not started, and the message names both${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    await using directory = await temporaryDirectory()
    const options = { directory: directory.path, port: await freePort() }
    const server = await startPostgres(options)
    await server.stop()
    await writeFile(join(directory.path, 'data/PG_VERSION'), '9\n')
    await expect(startPostgres(options)).rejects.toThrow(
      /^Postgres 9 wrote .*, but Postgres \d+ was found \(.*\)\. Set/,
    )
  },
)
