/** `npm run images:sbom [-- FILE]`: writes the packages that the images may contain into FILE, by default deploy/images/sbom.cdx.json. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { billOfMaterials } from './bill-of-materials.ts'

const [path] = process.argv.slice(2)
const file = path ? resolve(path) : fileURLToPath(new URL('./sbom.cdx.json', import.meta.url))
const document = await billOfMaterials()
await writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`)
process.stdout.write(`Wrote ${document.components.length} packages to ${file}.\n`)
