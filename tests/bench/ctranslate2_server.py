"""The peer of the serving race: CTranslate2 behind a minimal HTTP server of Python's standard library.

Translates the lines of the body of each POST, which are subwords separated by spaces, and answers with lines. Prints
its port. Each request is translated as it arrives, by one of `--workers` replicas. Needs ctranslate2 and numpy.
"""

import argparse
import http.server
import tempfile

import ctranslate2

import ctranslate2_generation
import generation_peer


def load(arguments):
    tensors = generation_peer.read_safetensors(arguments.weights)
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2_generation.convert(tensors, generation_peer.shape_of(arguments, tensors),
                                       generation_peer.symbols_of(arguments), folder)
        return ctranslate2.Translator(folder, compute_type="float32", inter_threads=arguments.workers, intra_threads=1)


def handler_of(translator, beam):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            results = translator.translate_batch([line.split() for line in text.splitlines()], beam_size=beam,
                                                 length_penalty=1.0, max_decoding_length=200)
            body = "".join(" ".join(result.hypotheses[0]) + "\n" for result in results).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("weights")
    parser.add_argument("options")
    parser.add_argument("data")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--beam", type=int, default=5)
    arguments = parser.parse_args()
    server = Server(("127.0.0.1", 0), handler_of(load(arguments), arguments.beam))
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
