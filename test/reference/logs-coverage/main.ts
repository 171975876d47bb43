/** Writes docs/reference/logs-coverage.md. */
import { writeFile } from 'node:fs/promises'
import { pageFile, renderPage } from './page.ts'

await writeFile(pageFile, renderPage())
