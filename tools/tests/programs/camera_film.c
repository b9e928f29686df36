// SPDX-License-Identifier: BSD-2-Clause
//
// camera_film LEVEL ROWS LOSS SEED FILM: films a screen as a hand-held camera would.
//
// Standard input has one line for each state of the screen: milliseconds that it is shown, and a
// PNG of it. Writes a film of 30 JPEG pictures a second to FILM, as Chromium's fake camera reads it
// (.mjpeg), and prints what it did. LOSS is the share of states in percent that a shake makes
// unreadable.
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h> // after stdio.h, which it needs

enum { FRAMES_A_SECOND = 30, FRAMES_A_PHOTO = 3 };

// What a level of faults does. Lengths are camera pixels, the others shares of 1, or degrees.
struct faults {
    const char *name;
    double blur;     // sigma of the lens
    double noise;    // sigma of the sensor, of 255
    double tilt;     // how far each corner of the screen may be off, of its side
    double fill;     // height of the screen in the picture
    double gradient; // loss of light from one side to the other
    double rotation; // largest, in degrees
    int quality;     // of the JPEG
};

static const struct faults levels[] = {
    {"good", .6, 3, .02, .92, .10, 2, 85},
    {"usual", .9, 6, .05, .85, .25, 5, 75},
    {"bad", 1.3, 10, .09, .75, .40, 10, 60},
    {"poor", 1.8, 14, .12, .62, .50, 15, 50},
};
static const double shake_blur = 7;

struct picture {
    int width, height;
    float *light; // linear, 0 to 1
};

static uint64_t random_state;

static double uniform(double from, double to)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(random_state >> 40) / (double)(1u << 24);
}

static double gauss(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += uniform(0, 1);
    }
    return sum;
}

static void die(const char *what, const char *name)
{
    fprintf(stderr, "camera_film: %s %s\n", what, name);
    exit(1);
}

static struct picture picture_create(int width, int height)
{
    struct picture p = {width, height, calloc((size_t)width * (size_t)height, sizeof(float))};
    if (p.light == NULL) {
        die("no memory for", "a picture");
    }
    return p;
}

static struct picture screen_read(const char *name)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, name)) {
        die("cannot read", name);
    }
    image.format = PNG_FORMAT_GRAY;
    struct picture p = picture_create((int)image.width, (int)image.height);
    unsigned char *grey = malloc(PNG_IMAGE_SIZE(image));
    if (grey == NULL || !png_image_finish_read(&image, NULL, grey, 0, NULL)) {
        die("cannot read", name);
    }
    for (int i = 0; i < p.width * p.height; i++) {
        p.light[i] = (float)(pow(grey[i] / 255., 2.2) * .95 + .004);
    }
    free(grey);
    return p;
}

// Solves the 8 numbers of the perspective that maps the corners of the picture to those of the
// screen.
static void perspective(const double from[4][2], const double to[4][2], double h[9])
{
    double a[8][9] = {{0}};
    for (int i = 0; i < 4; i++) {
        double x = from[i][0], y = from[i][1], u = to[i][0], v = to[i][1];
        double row[2][9] = {{x, y, 1, 0, 0, 0, -u * x, -u * y, u},
                            {0, 0, 0, x, y, 1, -v * x, -v * y, v}};
        memcpy(a[2 * i], row, sizeof(row));
    }
    for (int c = 0; c < 8; c++) {
        int best = c;
        for (int r = c; r < 8; r++) {
            if (fabs(a[r][c]) > fabs(a[best][c])) {
                best = r;
            }
        }
        for (int k = 0; k < 9; k++) {
            double t = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = t;
        }
        for (int r = 0; r < 8; r++) {
            double f = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k < 9; k++) {
                a[r][k] -= f * a[c][k];
            }
        }
    }
    for (int c = 0; c < 8; c++) {
        h[c] = a[c][8] / a[c][c];
    }
    h[8] = 1;
}

// The light of a screen's point, between its four pixels; dark beside the screen.
static float light_at(const struct picture *s, double x, double y)
{
    int i = (int)floor(x), j = (int)floor(y);
    if (i < 0 || j < 0 || i + 1 >= s->width || j + 1 >= s->height) {
        return .02f;
    }
    float u = (float)(x - i), v = (float)(y - j);
    const float *p = s->light + j * s->width + i;
    return (p[0] * (1 - u) + p[1] * u) * (1 - v) +
           (p[s->width] * (1 - u) + p[s->width + 1] * u) * v;
}

// Projects the square at the right of the screen, where the code is, into the picture.
static void project(const struct faults *f, const struct picture *screen, struct picture *photo)
{
    double side = photo->height * f->fill, angle = uniform(-f->rotation, f->rotation) * M_PI / 180;
    double half = side / 2 / (fabs(cos(angle)) + fabs(sin(angle)));
    double middle[2] = {photo->width / 2. + gauss() * .01 * photo->width,
                        photo->height / 2. + gauss() * .004 * photo->height};
    double square = screen->height / 2., corners[4][2], screen_corners[4][2];
    for (int i = 0; i < 4; i++) {
        double x = (i == 0 || i == 3) ? -1 : 1, y = i < 2 ? -1 : 1, slack = f->tilt * side / 2;
        corners[i][0] =
            middle[0] + half * (x * cos(angle) - y * sin(angle)) + uniform(-slack, slack);
        corners[i][1] =
            middle[1] + half * (x * sin(angle) + y * cos(angle)) + uniform(-slack, slack);
        screen_corners[i][0] = screen->width - square + x * square;
        screen_corners[i][1] = square + y * square;
    }
    double h[9];
    perspective(corners, screen_corners, h);
    static const double samples[4][2] = {
        {-.375, -.125}, {-.125, .375}, {.125, -.375}, {.375, .125}};
    for (int y = 0; y < photo->height; y++) {
        for (int x = 0; x < photo->width; x++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) {
                double px = x + samples[k][0], py = y + samples[k][1];
                double w = h[6] * px + h[7] * py + 1;
                sum += light_at(screen, (h[0] * px + h[1] * py + h[2]) / w,
                                (h[3] * px + h[4] * py + h[5]) / w);
            }
            photo->light[y * photo->width + x] = sum / 4;
        }
    }
}

// One direction of the lens' blur; 'step' is the distance of neighbours, 'count' their number.
static void blur_line(float *line, int count, int step, const float *kernel, int reach, float *old)
{
    for (int i = 0; i < count; i++) {
        old[i] = line[i * step];
    }
    for (int i = 0; i < count; i++) {
        float sum = 0;
        for (int k = -reach; k <= reach; k++) {
            int at = i + k < 0 ? 0 : i + k >= count ? count - 1 : i + k;
            sum += old[at] * kernel[k + reach];
        }
        line[i * step] = sum;
    }
}

static void blur(struct picture *p, double sigma)
{
    float kernel[64], sum = 0, old[4096];
    int reach = (int)ceil(sigma * 2.5);
    for (int k = -reach; k <= reach; k++) {
        sum += kernel[k + reach] = (float)exp(-k * k / (2 * sigma * sigma));
    }
    for (int k = 0; k <= 2 * reach; k++) {
        kernel[k] /= sum;
    }
    for (int y = 0; y < p->height; y++) {
        blur_line(p->light + y * p->width, p->width, 1, kernel, reach, old);
    }
    for (int x = 0; x < p->width; x++) {
        blur_line(p->light + x, p->height, p->width, kernel, reach, old);
    }
}

// Light falls off to one side, and a lamp shines on the screen; then the sensor's curve and noise.
static void expose(const struct faults *f, const struct picture *p, unsigned char *grey)
{
    static float noise[65536];
    if (noise[0] == 0) {
        for (int i = 0; i < 65536; i++) {
            noise[i] = (float)gauss();
        }
    }
    static unsigned char curve[4096];
    if (curve[4095] == 0) {
        for (int i = 0; i < 4096; i++) {
            curve[i] = (unsigned char)lround(pow(i / 4095., 1 / 2.2) * 255);
        }
    }
    double from = uniform(0, 2 * M_PI), gain = uniform(.7, 1.15), lamp_x = uniform(-1, 1),
           lamp_y = uniform(-1, 1);
    for (int y = 0; y < p->height; y++) {
        for (int x = 0; x < p->width; x++) {
            double gx = 2. * x / p->width - 1, gy = 2. * y / p->height - 1;
            double fall = 1 - f->gradient * (.5 + .5 * (gx * cos(from) + gy * sin(from)) / 1.4);
            double far = (gx - lamp_x) * (gx - lamp_x) + (gy - lamp_y) * (gy - lamp_y);
            double light = p->light[y * p->width + x] * fall * gain +
                           (far < 1 ? f->gradient * .15 * exp(-far * 6) : 0);
            random_state = random_state * 6364136223846793005u + 1442695040888963407u;
            double value = curve[light >= 1 ? 4095 : (int)(light * 4095)] +
                           f->noise * (double)noise[random_state >> 48];
            grey[y * p->width + x] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

static unsigned long jpeg_write(const unsigned char *grey, int width, int height, int quality,
                                unsigned char **bytes)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr e;
    unsigned long length = 0;
    unsigned char *rgb = malloc((size_t)width * 3);
    c.err = jpeg_std_error(&e);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, bytes, &length);
    c.image_width = (JDIMENSION)width;
    c.image_height = (JDIMENSION)height;
    c.input_components = 3; // Chromium's camera takes no picture of one component
    c.in_color_space = JCS_RGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, quality, TRUE);
    jpeg_start_compress(&c, TRUE);
    for (int y = 0; y < height; y++) {
        for (int i = 0; i < width * 3; i++) {
            rgb[i] = grey[y * width + i / 3];
        }
        jpeg_write_scanlines(&c, &rgb, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    free(rgb);
    return length;
}

int main(int count, char **words)
{
    if (count != 6) {
        die("usage: camera_film LEVEL ROWS LOSS SEED", "FILM");
    }
    const struct faults *f = NULL;
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
        if (strcmp(words[1], levels[i].name) == 0) {
            f = &levels[i];
        }
    }
    if (f == NULL) {
        die("unknown level", words[1]);
    }
    int height = atoi(words[2]), width = height * 16 / 9, frames = 0, states = 0, lost = 0;
    double loss = atof(words[3]) / 100, now = 0;
    random_state = strtoull(words[4], NULL, 10) * 7919 + 1;
    FILE *film = fopen(words[5], "wb");
    if (film == NULL) {
        die("cannot write", words[5]);
    }
    struct picture photo = picture_create(width, height);
    unsigned char *grey = malloc((size_t)width * (size_t)height), *bytes = NULL;
    unsigned long length = 0;
    char name[1024];
    double ms;
    while (scanf("%lf %1023s", &ms, name) == 2) {
        struct picture screen = screen_read(name);
        bool is_lost = uniform(0, 1) < loss;
        states++;
        lost += is_lost;
        now += ms;
        for (int k = 0; frames < now * FRAMES_A_SECOND / 1000; k++, frames++) {
            if (k % FRAMES_A_PHOTO == 0) {
                project(f, &screen, &photo);
                blur(&photo, is_lost ? shake_blur : f->blur);
                expose(f, &photo, grey);
                free(bytes);
                bytes = NULL;
                length = jpeg_write(grey, width, height, f->quality, &bytes);
            }
            fwrite(bytes, 1, length, film);
        }
        free(screen.light);
    }
    printf("%d frames of %d screens, %d of them lost\n", frames, states, lost);
    return fclose(film) == 0 && states > 0 ? 0 : 1;
}
