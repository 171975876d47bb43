/** `npm run images:bundle [-- FOLDER]`: bundles what the images run into deploy/images/app, or where told; images are built from there. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { entryModules } from './entries.ts'

const [given] = process.argv.slice(2)
const folder = given ? resolve(given) : fileURLToPath(new URL('./app', import.meta.url))
const began = performance.now()
await bundle(entryModules(), folder)
process.stdout.write(`Bundled into ${folder} in ${Math.round(performance.now() - began)} ms.\n`)
