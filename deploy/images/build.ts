/** `npm run images:bundle [-- FOLDER]`: bundles the programs of the images and the web app into FOLDER, by default deploy/images/app, for image builds. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeContents } from './contents.ts'

const [path] = process.argv.slice(2)
const folder = path ? resolve(path) : fileURLToPath(new URL('./app', import.meta.url))
const began = performance.now()
await writeContents(folder)
process.stdout.write(`Bundled into ${folder} in ${Math.round(performance.now() - began)} ms.\n`)
