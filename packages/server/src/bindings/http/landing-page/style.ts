/** The style of the page. There is nothing else in it that a browser would act on. */
export const STYLE: string = `
:root{color-scheme:light dark;--text:#1b1f24;--faint:#57606a;--back:#fff;--box:#f3f5f8;--line:#d5dae1;--link:#0b57d0}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--faint:#9da7b1;--back:#0d1117;--box:#161c24;--line:#30363d;--link:#8ab4f8}}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--back)}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0}h2{font-size:1.15rem;margin:2.4rem 0 .6rem}h3{font-size:.95rem;margin:1.2rem 0 .4rem}
h1,h2,h3,p,dt,dd,li{overflow-wrap:anywhere}p{margin:.6rem 0}a{color:var(--link)}
.faint{color:var(--faint)}.text{white-space:pre-line;unicode-bidi:plaintext}bdi{unicode-bidi:isolate}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.875rem}
pre{margin:0;padding:.75rem .9rem;background:var(--box);border:1px solid var(--line);border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere}
dl{margin:0}dt{padding-top:.8rem;border-top:1px solid var(--line);margin-top:.8rem}dd{margin:.2rem 0 0}dt code{font-weight:600}
`;
