/** Writes docs/reference/<service>-coverage.md. */
import { writeFile } from 'node:fs/promises'
import { covered, pageFile, renderPage } from './page.ts'

for (const requirements of covered) await writeFile(pageFile(requirements), renderPage(requirements))
