// Compiles charts with Vega-Lite and draws them with Vega: a specification for each line of the standard
// input, and for each a line with what stands in the picture. A warning is an error.
'use strict'
const vega = require('vega')
const vegaLite = require('vega-lite')

const throwing = {
  level() { return this },
  info() { return this },
  debug() { return this },
  warn(...all) { throw new Error('warning: ' + all.join(' ')) },
  error(...all) { throw new Error(all.join(' ')) }
}

async function draw(line) {
  const { spec } = vegaLite.compile(JSON.parse(line), { logger: throwing })
  const view = new vega.View(vega.parse(spec), { renderer: 'none', logger: throwing })
  const svg = await view.toSVG()
  return { texts: [...svg.matchAll(/<(?:text|tspan)[^>]*>([^<]*)(?=<)/g)].map((found) => found[1]).filter(Boolean) }
}

async function main() {
  const lines = require('fs').readFileSync(0, 'utf8').split('\n').filter(Boolean)
  for (const line of lines) {
    let drawn
    try {
      drawn = await draw(line)
    } catch (e) {
      drawn = { error: e.message }
    }
    console.log(JSON.stringify(drawn))
  }
}

main()
