import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type Command, readArguments } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { openServer } from '../server.ts'
import { tools } from './tools.ts'

/** A failure as a result that the model reads, so that it can try something else. */
const failed = (error: unknown) => ({
  content: [{ type: 'text' as const, text: error instanceof Error ? error.message : String(error) }],
  isError: true,
})

export const mcpCommand: Command = {
  usage: '[--server URL]',
  purpose: 'serves the listings to a language model over the Model Context Protocol, on standard input and output',
  run: async (words, surroundings) => {
    const { values, positionals } = readArguments(words, { server: { type: 'string' } })
    if (positionals.length > 0) throw new CommandFailure(`"${positionals[0]}" is not an option of this command.`, 2)
    await using server = await openServer(values.server, surroundings)
    const mcp = new McpServer({ name: 'trellis-listings', version: '0.1.0' })
    for (const { name, title, description, input, isReadOnly, run } of tools)
      mcp.registerTool(
        name,
        {
          title,
          description,
          inputSchema: input.shape,
          annotations: { readOnlyHint: isReadOnly, openWorldHint: true },
        },
        async (given: Record<string, unknown>) => {
          try {
            return { content: [{ type: 'text' as const, text: JSON.stringify(await run(server.client, given)) }] }
          } catch (error) {
            return failed(error)
          }
        },
      )
    const transport = new StdioServerTransport()
    const ended = new Promise<void>((resolve) => {
      mcp.server.onclose = resolve
      // The transport does not notice the end of its input.
      process.stdin.once('close', resolve).once('end', resolve)
      surroundings.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await mcp.connect(transport)
    await ended
    await mcp.close()
  },
}
