import { type ChromiumOptions, launchChromium } from '../src/marketplace/browser/launch.ts'

/** A process that shows a page which never settles, prints the ids of the browser's processes, and stays until it is killed. */
const browser = await launchChromium(JSON.parse(process.argv[2] ?? '{}') as ChromiumOptions)
const page = await browser.newPage()
await page.setContent('<p></p><script>setTimeout(() => { while (true); }, 200)</script>')
const session = await browser.newBrowserCDPSession()
const { processInfo } = await session.send('SystemInfo.getProcessInfo')
process.stdout.write(`${JSON.stringify(processInfo.map(({ id }) => id))}\n`)
