from phraseq import main

main()
