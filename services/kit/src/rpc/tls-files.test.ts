import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { createTlsFiles, tlsRefreshMilliseconds } from './tls-files.ts'

test('a renewed certificate is read within a minute, and the last one is used while files are missing', async () => {
  await using directory = await temporaryDirectory()
  const [certificateFile, keyFile, authorityFile] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) =>
    join(directory.path, name),
  ) as [string, string, string]
  const write = async (text: string) => {
    for (const file of [certificateFile, keyFile, authorityFile]) await writeFile(file, text)
  }
  await write('first')
  let now = 0
  const files = createTlsFiles({ certificateFile, keyFile, authorityFile }, () => now)
  await write('second')
  expect(files().cert.toString()).toBe('first')
  now += tlsRefreshMilliseconds
  expect(Object.values(files()).map(String)).toEqual(['second', 'second', 'second'])
  await rm(keyFile)
  now += tlsRefreshMilliseconds
  expect(files().key.toString()).toBe('second')
})
