import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const withBrotli = promisify(brotliCompress)
const withGzip = promisify(gzip)

const compressible = /\.(?:css|js|json|svg|txt|webmanifest)$/

/** Writes a brotli and a gzip form next to each text file of a folder, so that the server compresses nothing. */
export const compressFiles = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => compressible.test(name))
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const body = await readFile(path)
      const parameters = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
      await writeFile(`${path}.br`, await withBrotli(body, { params: parameters }))
      await writeFile(`${path}.gz`, await withGzip(body, { level: 9 }))
    }),
  )
}
