/** `npm run images:bundle [-- FOLDER]`: bundles the programs of the images and the web app into FOLDER, by default deploy/images/app, for image builds. */
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWeb } from '@trellis/web/build'
import { bundle } from './bundle.ts'
import { entryModules } from './entries.ts'

const [path] = process.argv.slice(2)
const folder = path ? resolve(path) : fileURLToPath(new URL('./app', import.meta.url))
const began = performance.now()
await bundle(entryModules(), folder)
// The edge looks for the web app beside its program.
await buildWeb(join(folder, 'web'))
process.stdout.write(`Bundled into ${folder} in ${Math.round(performance.now() - began)} ms.\n`)
