/** Writes the definitions of our kinds into crds/, deletes obsolete ones, and writes the page of their fields. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderReference } from './reference.ts'
import { renderDefinitions } from './render.ts'

const folder = fileURLToPath(new URL('../../../crds/', import.meta.url))
const page = fileURLToPath(new URL('../../../docs/reference/kinds.md', import.meta.url))
const files = renderDefinitions()

await mkdir(folder, { recursive: true })
for (const name of await readdir(folder)) {
  if (name.endsWith('.yaml') && !(name in files)) await rm(join(folder, name))
}
for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
await writeFile(page, renderReference())
