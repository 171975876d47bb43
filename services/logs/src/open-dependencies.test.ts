import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { openServiceForTests } from './service-for-tests.ts'

test('a data directory in which the inbox cannot be created is rejected with a message for the operator', async () => {
  await using folder = await temporaryDirectory()
  const inbox = join(folder.path, 'inbox')
  await writeFile(inbox, '')
  await expect(openServiceForTests({ dataDirectory: folder.path })).rejects.toThrow(
    `The data directory ${inbox} is a file. Set TRELLIS_DATA_DIR to a directory that this user may write.`,
  )
})
